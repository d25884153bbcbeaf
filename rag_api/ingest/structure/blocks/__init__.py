"""Blocks of cleaned pages: paragraphs and headings, lists, tables, by what only the pages know."""
