"""Commands for admins, a file for each noun: rag_api/cli.py hangs them under `bedside`."""
