package dev.sharding.demo;

import java.util.List;
import java.util.Locale;

/**
 * What the user asked for on the command line.
 *
 * @param once play the script and end, with the figures as one JSON object on the last
 * line; otherwise leave all running afterwards when there is a terminal
 * @param objects how many Secrets to create
 * @param fault negative control: what is wrong with the programs
 * @param shard what the shards are
 */
record DemoOptions(boolean once, int objects, Fault fault, ShardProgram shard) {

	static final String USAGE = """
			Usage: ./demo [--once] [--objects N] [--shard josdk] [--break ack|fence|order|rejoin]
			  --once       play the script without a terminal view, print the figures as JSON, and end
			  --objects N  how many Secrets to create (default 1000)
			  --shard josdk  the shards are operators on java-operator-sdk; with --break fence or order
			  --break X    negative control, which the judge must see:
			               ack     shards acknowledge drains before their reconcile ended
			               fence   shards write although they cannot prove their Lease
			               order   the sharder leaves controlled objects behind
			               rejoin  shards that lost their Lease go on as if nothing was""";

	DemoOptions {
		if (objects < 1) {
			throw new IllegalArgumentException("'--objects' must be positive (is " + objects + ")");
		}
		if (!shard.canHave(fault)) {
			throw new IllegalArgumentException("There is no operator with that fault\n" + USAGE);
		}
	}

	static DemoOptions parse(List<String> arguments) {
		boolean once = false;
		int objects = 1000;
		Fault fault = Fault.NONE;
		ShardProgram shard = ShardProgram.EXAMPLE;
		for (int i = 0; i < arguments.size(); i++) {
			String argument = arguments.get(i);
			String value = (i + 1 < arguments.size()) ? arguments.get(i + 1) : "";
			if (argument.equals("--once")) {
				once = true;
			}
			else if (argument.equals("--objects") && value.matches("\\d{1,6}")) {
				objects = Integer.parseInt(value);
				i++;
			}
			else if (argument.equals("--shard") && ShardProgram.isNamed(value)) {
				shard = ShardProgram.named(value);
				i++;
			}
			else if (argument.equals("--break") && value.matches("ack|fence|order|rejoin")) {
				fault = Fault.valueOf(value.toUpperCase(Locale.ROOT));
				i++;
			}
			else {
				throw new IllegalArgumentException(
						"Unknown argument '" + argument + (value.isEmpty() ? "" : " " + value) + "'\n" + USAGE);
			}
		}
		return new DemoOptions(once, objects, fault, shard);
	}

}
