package dev.sharding.internal.sharder.cli;

import java.net.URI;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.sharding.internal.sharder.http.Bodies;
import dev.sharding.internal.sharder.http.ConnectionLimits;
import dev.sharding.internal.sharder.http.Listener;
import dev.sharding.internal.sharder.http.RequestLimits;
import dev.sharding.internal.sharder.http.ServerMetrics;
import dev.sharding.internal.sharder.http.ServerOptions;
import dev.sharding.internal.sharder.http.WebStack;
import dev.sharding.internal.sharder.ui.Relay;
import dev.sharding.internal.sharder.ui.Visitors;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.http.HttpClientOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Shows the page of the sharder in a browser, until it is interrupted.
 */
@Command(name = "ui", description = "Shows the page of the sharder in a browser, until Ctrl-C ends it.")
final class UiCommand implements Callable<Integer> {

	private static final long LOOK_SECONDS = 2;

	@Mixin
	private final ClusterOptions options = new ClusterOptions();

	@Spec
	private CommandSpec command = CommandSpec.create();

	@Option(names = "--port", paramLabel = "NUMBER", defaultValue = "0",
			description = "The port on this machine; any free one by default.")
	private int port;

	@Option(names = "--no-browser", description = "Only prints the link.")
	private boolean quiet;

	@Option(names = "--sharder-namespace", paramLabel = "NAME", defaultValue = "sharding-system",
			description = "Where the sharder runs; ${DEFAULT-VALUE} by default.")
	private String sharderNamespace = "sharding-system";

	@Option(names = "--sharder-port", paramLabel = "NUMBER", defaultValue = "8080",
			description = "The port of its pods with metrics and the page; ${DEFAULT-VALUE} by default.")
	private int sharderPort;

	@Option(names = "--sharder-url", paramLabel = "URL",
			description = "Where the sharder is, if no tunnel to its pod is needed.")
	private @Nullable URI sharderUrl;

	@Option(names = "--account", paramLabel = "NAMESPACE/NAME",
			description = "The ServiceAccount to ask as, where the kubeconfig has no token.")
	private @Nullable String account;

	@Override
	public Integer call() throws Exception {
		try (WebStack stack = new WebStack();
				LeaderPage leader = new LeaderPage(this.options, this.sharderNamespace, this.sharderPort,
						this.sharderUrl, this.account)) {
			leader.look();
			Visitors visitors = new Visitors();
			ServerOptions server = new ServerOptions("127.0.0.1", this.port, ConnectionLimits.DEFAULT,
					RequestLimits.SMALL);
			HttpClientOptions client = Relay.clientOptions(this.sharderUrl == null);
			try (Listener listener = new Listener(stack, server, null, new Relay(visitors, leader::target,
					stack.client(client), new Bodies(stack, server.requests(), (status) -> {
					})), new ServerMetrics(new SimpleMeterRegistry(), "ui"))) {
				listen(listener);
				String link = "http://127.0.0.1:%d/enter/%s".formatted(listener.port(), visitors.invite());
				say("The page of %s, by a link for one browser:".formatted(leader.name()));
				say(link);
				if (!this.quiet) {
					Browser.open(link);
				}
				stay(leader);
			}
		}
		return ShardingCommand.WELL;
	}

	private void listen(Listener listener) throws TimeoutException {
		try {
			listener.listen();
		}
		catch (ExecutionException ex) {
			throw new CommandFailure("Failed to listen on port %d: %s".formatted(this.port, ex.getCause()));
		}
	}

	/* Another leader has another pod; the browser does not have to know. */
	private void stay(LeaderPage leader) {
		try {
			while (true) {
				TimeUnit.SECONDS.sleep(LOOK_SECONDS);
				String before = leader.name();
				List<String> news = leader.lookAgain();
				news.forEach(this::say);
				if (!leader.name().equals(before)) {
					say("Now of " + leader.name());
				}
			}
		}
		catch (InterruptedException ended) {
			Thread.currentThread().interrupt();
		}
	}

	private void say(String line) {
		this.command.commandLine().getOut().println(line);
		this.command.commandLine().getOut().flush();
	}

}
