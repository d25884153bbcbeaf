"""One kind of file each -> a document as it was read."""
