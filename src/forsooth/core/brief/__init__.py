"""From a person's Markdown to a plan: stories, sentences that become checks, and every defect."""
