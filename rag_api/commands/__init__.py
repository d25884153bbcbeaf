"""Commands for admins, a file for each noun: rag_api/cli/app.py hangs them under `bedside`."""
