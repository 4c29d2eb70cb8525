"""Where judged code runs: one protocol, and a tier for what each machine can give."""
