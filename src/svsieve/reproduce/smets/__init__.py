"""K. Smets, Studie van kernel-gebaseerde technieken, licentiate thesis, Antwerp, 2006."""
