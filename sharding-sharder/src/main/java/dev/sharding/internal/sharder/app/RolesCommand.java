package dev.sharding.internal.sharder.app;

import java.io.PrintStream;
import java.nio.file.Path;

import dev.sharding.protocol.RingRoles;

/** Prints the roles that the ControllerRing in a file needs. */
final class RolesCommand {

	/** The first argument of the program. */
	static final String NAME = "roles";

	private RolesCommand() {
	}

	/**
	 * Runs the command.
	 * @param args its name and the file
	 * @param out where the roles go
	 * @param err where it goes what is wrong
	 * @return the exit code: 0, 1 for a file that is no ControllerRing, 2 for other
	 * arguments
	 */
	static int run(String[] args, PrintStream out, PrintStream err) {
		if (args.length != 2) {
			err.println("Usage: roles FILE, where FILE holds one ControllerRing as YAML or JSON");
			return 2;
		}
		try {
			out.print(RingRoles.ofFile(Path.of(args[1])));
			return 0;
		}
		catch (IllegalArgumentException ex) {
			err.println(ex.getMessage());
			return 1;
		}
	}

}
