"""What holds for the project as a whole: its words, its layers, its generated pages, and what importing it costs."""
