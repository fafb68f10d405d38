"""Parts and their uses: expanding one into copies of the other, placed and named."""
