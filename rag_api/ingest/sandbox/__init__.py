"""Files are read in processes of their own, which reach nothing else."""
