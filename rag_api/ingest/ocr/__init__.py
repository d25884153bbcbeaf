"""Pages that are pictures -> words with boxes, and which of them are in doubt.

picture.py renders a page and sets it straight; paddle.py reads it (PP-OCRv6, from the wheel of
`rapidocr`; nothing is loaded from elsewhere); tesseract.py reads it a second time where tesseract
is installed; doubt.py compares the two; written.py makes glyphs of the words, which layout and
cleaning take as they take a PDF's own. What is in doubt can be found and shown, and is never
quoted.
"""
