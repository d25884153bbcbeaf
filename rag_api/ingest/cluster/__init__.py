"""Ingestion on a Ray cluster: the same steps on the same files, spread over machines by Ray Data.

The driver (`bedside ingest --ray`) does what surrounds them as ever: the lock, what moved, what
changed, what is missing, the report. What must be read goes as small rows through three pools of
actors: readers (ingest/pipeline/read_item.py, each with its own reader process, bounded as
everywhere), embedders (embedding.py), writers (saving.py). Documents come from a folder that all
machines see or from object storage, results go to Weaviate and PostgreSQL; the driver sees names
and outcomes only.

Nothing is kept but what ingestion keeps anyway. What is done stands in the list, ids follow from
content, so that a step may be done twice: a machine that dies, or a driver, costs time alone. There
is no queue of ours: Ray Data paces readers by what writers take.
"""
