package dev.sharding.internal.sharder.cli;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

import dev.sharding.client.ApiException;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command line. It ends with 0 if all is well, with 1 if a check found a problem,
 * with 2 if the arguments are wrong, and with 3 if the question could not be answered.
 */
@Command(name = "kubectl sharding",
		description = "Shows and changes how the objects of a ControllerRing are shared out among its shards.",
		subcommands = { StatusCommand.class, ExplainCommand.class, MovesCommand.class, DoctorCommand.class,
				WhatIfCommand.class, UiCommand.class, OrderCommands.Cordon.class, OrderCommands.Uncordon.class,
				OrderCommands.Pause.class, OrderCommands.Resume.class, RolesCommand.class },
		synopsisSubcommandLabel = "COMMAND", exitCodeListHeading = "%nExit codes:%n", exitCodeList = { "0:all is well",
				"1:a check found a problem", "2:the arguments are wrong", "3:the question could not be answered" })
public final class ShardingCommand {

	/** The first argument of the program. */
	public static final String NAME = "kubectl";

	/** The first argument by which kubectl's completion asks. */
	static final String COMPLETE = "__complete";

	static final int WELL = 0;

	static final int PROBLEM = 1;

	static final int FAILED = 3;

	@Option(names = { "-h", "--help" }, usageHelp = true, description = "Prints this help.")
	private boolean help;

	ShardingCommand() {
	}

	/**
	 * Runs a command.
	 * @param args the arguments, from the name of the command on
	 * @param out where answers go
	 * @param err where it goes what is wrong
	 * @return the exit code
	 */
	public static int run(String[] args, PrintStream out, PrintStream err) {
		PrintWriter writer = new PrintWriter(out, true, StandardCharsets.UTF_8);
		PrintWriter errors = new PrintWriter(err, true, StandardCharsets.UTF_8);
		CommandLine line = new CommandLine(new ShardingCommand()).setOut(writer)
			.setErr(errors)
			.setCaseInsensitiveEnumValuesAllowed(true)
			.setUsageHelpAutoWidth(true)
			.setExecutionExceptionHandler((failure, command, parsed) -> failed(failure, errors));
		if (args.length == 0) {
			line.usage(writer);
			return WELL;
		}
		if (args[0].equals(COMPLETE)) {
			Completion.print(line, args, writer);
			return WELL;
		}
		return line.execute(args);
	}

	private static int failed(Exception failure, PrintWriter errors) {
		errors.println("Failed: " + text(failure));
		return FAILED;
	}

	private static String text(Exception failure) {
		Throwable cause = (failure instanceof KubernetesClientException) ? failure : ApiException.of(failure);
		@Nullable String message = (failure instanceof CommandFailure) ? failure.getMessage() : cause.getMessage();
		return (message != null) ? message : failure.toString();
	}

}
