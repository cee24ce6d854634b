package dev.sharding.internal.sharder.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * What can follow on the command line, as kubectl asks for it: one word a line, and at
 * last {@code :4}, that files are none. Names of rings and shards come from the cluster.
 */
final class Completion {

	private Completion() {
	}

	static void print(CommandLine line, String[] args, PrintWriter out) {
		String typed = (args.length > 1) ? args[args.length - 1] : "";
		CommandLine command = line;
		List<String> words = new ArrayList<>();
		for (int i = 1; i < args.length - 1; i++) {
			Map<String, CommandLine> subcommands = command.getSubcommands();
			if (subcommands.containsKey(args[i])) {
				command = subcommands.get(args[i]);
				words.clear();
			}
			else {
				words.add(args[i]);
			}
		}
		candidates(command, words, args).stream().filter((word) -> word.startsWith(typed)).forEach(out::println);
		out.println(":4");
	}

	/* An option that takes a value has it in the word behind it. */
	private static List<String> candidates(CommandLine command, List<String> words, String[] args) {
		List<String> candidates = new ArrayList<>(command.getSubcommands().keySet());
		OptionSpec option = words.isEmpty() ? null : command.getCommandSpec().findOption(words.get(words.size() - 1));
		if (option != null && option.arity().max() > 0) {
			List<String> values = new ArrayList<>();
			if (option.completionCandidates() != null) {
				option.completionCandidates().forEach(values::add);
			}
			return values;
		}
		long positions = positions(command, words);
		for (PositionalParamSpec position : command.getCommandSpec().positionalParameters()) {
			if (position.index().contains((int) positions)) {
				candidates.addAll(names(position, args));
			}
		}
		command.getCommandSpec().options().forEach((one) -> candidates.add(one.longestName()));
		return candidates;
	}

	private static long positions(CommandLine command, List<String> words) {
		long positions = 0;
		boolean isValue = false;
		for (String word : words) {
			OptionSpec option = command.getCommandSpec().findOption(word);
			positions += (isValue || word.startsWith("-")) ? 0 : 1;
			isValue = option != null && option.arity().max() > 0;
		}
		return positions;
	}

	private static List<String> names(ArgSpec position, String[] args) {
		ClusterOptions options = new ClusterOptions();
		new CommandLine(options).setUnmatchedArgumentsAllowed(true)
			.setUnmatchedOptionsArePositionalParams(true)
			.parseArgs(args);
		try (Cluster cluster = options.connect()) {
			return switch (position.paramLabel()) {
				case "RING" -> cluster.rings().stream().map((ring) -> ring.getMetadata().getName()).toList();
				case "SHARD" -> cluster.leases(null).stream().map((lease) -> lease.getMetadata().getName()).toList();
				default -> List.of();
			};
		}
		catch (RuntimeException unreachable) {
			return List.of();
		}
	}

}
