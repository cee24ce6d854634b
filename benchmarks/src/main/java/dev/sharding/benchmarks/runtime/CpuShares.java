package dev.sharding.benchmarks.runtime;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;

/**
 * What CPU seconds went into. A sample counts for its innermost frame that tells.
 *
 * @param seconds by what they went into
 */
record CpuShares(Map<String, Double> seconds) {

	private static final String OTHER = "other";

	/**
	 * What classes begin with, the first that fits; JSON is told apart by its callers.
	 */
	private static final List<Map.Entry<String, String>> WHAT = List.of(
			Map.entry("com.fasterxml.jackson.databind.introspect.", "classes"),
			Map.entry("com.fasterxml.jackson.databind.deser.DeserializerCache", "classes"),
			Map.entry("com.fasterxml.jackson.databind.deser.BeanDeserializerFactory", "classes"),
			Map.entry("com.fasterxml.jackson.databind.ser.BeanSerializerFactory", "classes"),
			Map.entry("com.fasterxml.jackson.databind.type.", "classes"),
			Map.entry("com.fasterxml.jackson.databind.ObjectReader", "json decode"),
			Map.entry("com.fasterxml.jackson.databind.deser.", "json decode"),
			Map.entry("com.fasterxml.jackson.databind.ser.", "json encode"),
			Map.entry("com.fasterxml.jackson.databind.ObjectMapper", "json encode"),
			Map.entry("java.lang.ClassLoader", "classes"), Map.entry("jdk.internal.loader.", "classes"),
			Map.entry("java.net.URLClassLoader", "classes"),
			Map.entry("java.lang.invoke.MethodHandleNatives", "classes"),
			Map.entry("java.lang.invoke.LambdaMetafactory", "classes"), Map.entry("java.util.jar.", "classes"),
			Map.entry("java.util.ServiceLoader", "classes"), Map.entry("sun.security.", "tls"),
			Map.entry("com.sun.crypto.", "tls"), Map.entry("io.netty.handler.ssl.", "tls"),
			Map.entry("jdk.jfr.", "recorder"), Map.entry("io.vertx.", "http"), Map.entry("io.netty.", "http"),
			Map.entry("io.fabric8.kubernetes.client.", "http"),
			Map.entry("dev.sharding.internal.kubernetes.rest.", "http"),
			Map.entry("dev.sharding.internal.kubernetes.informer.", "informer"),
			Map.entry("dev.sharding.internal.kubernetes.cache.", "cache"),
			Map.entry("dev.sharding.internal.core.overlay.", "cache"),
			Map.entry("dev.sharding.internal.kubernetes.reconcile.", "queue"),
			Map.entry("dev.sharding.internal.kubernetes.fence.", "fence"), Map.entry("dev.sharding.cache.", "cache"),
			Map.entry("dev.sharding.controller.", "queue"), Map.entry("dev.sharding.client.", "http"),
			Map.entry("dev.sharding.resource.", "other of ours"), Map.entry("dev.sharding.shard.", "other of ours"),
			Map.entry("dev.sharding.internal.kubernetes.", "other of ours"),
			Map.entry("dev.sharding.benchmarks.", "user code"));

	static CpuShares of(Path recording, CpuByThread cpu) throws IOException {
		Map<String, Double> samples = new HashMap<>();
		try (RecordingFile file = new RecordingFile(recording)) {
			while (file.hasMoreEvents()) {
				RecordedEvent event = file.readEvent();
				if (event.getEventType().getName().equals("jdk.CPUTimeSample")) {
					samples.merge(what(event.getStackTrace()), 1.0, Double::sum);
				}
			}
		}
		double all = samples.values().stream().mapToDouble(Double::doubleValue).sum();
		samples.replaceAll((what, count) -> count / all * cpu.java());
		samples.merge("compilers", cpu.compilers(), Double::sum);
		samples.merge("collector", cpu.collector(), Double::sum);
		samples.merge("recorder", cpu.recorder(), Double::sum);
		return new CpuShares(samples);
	}

	private static String what(@Nullable RecordedStackTrace stack) {
		if (stack != null) {
			for (RecordedFrame frame : stack.getFrames()) {
				String type = frame.getMethod().getType().getName();
				for (Map.Entry<String, String> each : WHAT) {
					if (type.startsWith(each.getKey())) {
						return each.getValue();
					}
				}
			}
			return OTHER;
		}
		return "no stack";
	}

	/** For people, the most first. */
	String text() {
		StringJoiner lines = new StringJoiner("\n");
		double all = this.seconds.values().stream().mapToDouble(Double::doubleValue).sum();
		this.seconds.entrySet()
			.stream()
			.sorted(Map.Entry.<String, Double>comparingByValue().reversed())
			.forEach((each) -> lines.add(String.format(Locale.ROOT, "  %-14s %6.2f %3.0f %%", each.getKey(),
					each.getValue(), 100 * each.getValue() / all)));
		return lines.add(String.format(Locale.ROOT, "  %-14s %6.2f", "all", all)).toString();
	}

	String json() {
		StringJoiner json = new StringJoiner(",", "{", "}");
		this.seconds.forEach((what, spent) -> json.add(String.format(Locale.ROOT, "\"%s\":%.2f", what, spent)));
		return json.toString();
	}

}
