"""A PDF as PDFium has it: its glyphs, drawings, annotations and fonts, as arrays in page space."""
