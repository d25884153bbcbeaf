"""Description that a document gives of itself: its title, dates, language and whom it is for."""
