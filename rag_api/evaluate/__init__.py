"""Judged questions and the gap report, as the service keeps them. What is measured on them stands
in evaluation/."""
