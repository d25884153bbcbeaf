"""The sample handbook: procedures of a hospital that does not exist, written for this project. Not
for clinical use."""
