package dev.sharding.sharder.cli;

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
		candidates(command, words).stream().filter((word) -> word.startsWith(typed)).forEach(out::println);
		out.println(":4");
	}

	private static List<String> candidates(CommandLine command, List<String> words) {
		List<String> candidates = new ArrayList<>(command.getSubcommands().keySet());
		OptionSpec option = words.isEmpty() ? null : command.getCommandSpec().findOption(words.get(words.size() - 1));
		if (option != null && option.arity().max() > 0) {
			List<String> values = new ArrayList<>();
			if (option.completionCandidates() != null) {
				option.completionCandidates().forEach(values::add);
			}
			return values;
		}
		long positions = words.stream().filter((word) -> !word.startsWith("-")).count();
		for (PositionalParamSpec position : command.getCommandSpec().positionalParameters()) {
			if (position.index().contains((int) positions)) {
				candidates.addAll(names(position));
			}
		}
		command.getCommandSpec().options().forEach((one) -> candidates.add(one.longestName()));
		return candidates;
	}

	private static List<String> names(ArgSpec position) {
		try (Cluster cluster = new ClusterOptions().connect()) {
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
