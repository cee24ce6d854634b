package dev.sharding.test.spring;

import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;

/**
 * Starts an application that runs once more, as further shards in processes of their own.
 */
final class FurtherShards {

	private static final Logger logger = LoggerFactory.getLogger(FurtherShards.class);

	private FurtherShards() {
	}

	/**
	 * Starts those that the properties ask for and that do not run yet.
	 * @param event who is ready, in the thread of its main method
	 * @param properties how many
	 */
	static void start(ApplicationReadyEvent event, DevelopmentProperties properties) {
		if (properties.join() != null || properties.shards() == 1) {
			return;
		}
		Optional<String> main = mainClass();
		if (main.isEmpty()) {
			logger.warn("No further shards are started, as no main method has started this one");
			return;
		}
		DevelopmentControlPlane cluster = DevelopmentControlPlane.inFolder(properties.place());
		for (int i = 2; i <= properties.shards(); i++) {
			String shard = "shard-" + i;
			cluster.start(shard, command(shard, cluster.kubeconfig(), main.get(), event.getArgs()));
		}
	}

	/* The outermost one: that of the tests calls that of the application. */
	private static Optional<String> mainClass() {
		return StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE)
			.walk((frames) -> frames.filter((frame) -> frame.getMethodName().equals("main"))
				.map(StackFrame::getDeclaringClass)
				.map(Class::getName)
				.reduce((inner, outer) -> outer));
	}

	private static List<String> command(String shard, Path kubeconfig, String main, String[] arguments) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC"));
		ManagementFactory.getRuntimeMXBean()
			.getInputArguments()
			.stream()
			// A port of JMX can be had by one process only.
			.filter((argument) -> argument.startsWith("-D") && !argument.startsWith("-Dcom.sun.management."))
			.forEach(command::add);
		List<String> own = List.of("sharding.shard-name=" + shard, "sharding.slots=0", "server.port=0",
				"management.server.port=", DevelopmentProperties.PREFIX + ".join=" + kubeconfig,
				DevelopmentProperties.PREFIX + ".shards=1", "sharding.sharder.enabled=false",
				"spring.devtools.livereload.enabled=false");
		own.forEach((setting) -> command.add("-D" + setting));
		command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
		// Arguments go before properties of the system.
		Stream.of(arguments)
			.filter((argument) -> own.stream()
				.noneMatch((setting) -> argument.startsWith("--" + setting.substring(0, setting.indexOf('=') + 1))))
			.forEach(command::add);
		return command;
	}

}
