/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The `nativert` command: finds the sub-command and hands over. */
#include "command.h"

#include <locale.h>
#include <string.h>

static const Command commands[] = {
  {"info", "what a model takes, gives and needs", command_info},
  {"run", "run a model once", command_run},
  {"bench", "time a model, as a whole and node by node", command_bench},
  {"graph", "print the graph of a model", command_graph},
  {"check", "validate archives, and run those that carry inputs", command_check},
  {"ops", "list the operators that are implemented", command_ops},
};

static void
print_help (void)
{
  g_print ("Usage: nativert COMMAND [OPTION...] ...\n\nRuns .pt2 files that torch.export.save wrote, without "
           "PyTorch.\n\nCommands:\n");
  for (size_t i = 0; i < G_N_ELEMENTS (commands); i++)
    g_print ("  %-8s%s\n", commands[i].name, commands[i].summary);
  g_print ("\n  --help     this text; `nativert COMMAND --help` tells more\n  --version  the version\n\n"
      "Data goes to stdout, with --json as one JSON document; messages go to stderr.\n"
      "Exit status: 0 done, 1 it failed, 2 wrong usage.\n");
}

int
main (int argc, char **argv)
{
  setlocale (LC_CTYPE, "");
  if (argc < 2)
    return command_misused ("nativert", "no command given");
  if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0 || strcmp (argv[1], "help") == 0) {
    print_help ();
    return EXIT_DONE;
  }
  if (strcmp (argv[1], "--version") == 0) {
    g_print ("nativert %s\n", nativert_version ());
    return EXIT_DONE;
  }
  for (size_t i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (argv[1], commands[i].name) == 0)
      return commands[i].run (argc - 1, argv + 1);
  return command_misused ("nativert", "unknown command %s", argv[1]);
}
