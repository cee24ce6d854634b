package dev.sharding.internal.sharder.app;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as Go writes them: {@code 1m30s}, {@code 1.5h}, {@code 300ms}, {@code 0}.
 */
final class GoDuration {

	private static final Pattern PART = Pattern.compile("(\\d+(?:\\.\\d*)?|\\.\\d+)(ns|us|µs|ms|s|m|h)");

	private static final Map<String, Long> NANOS = Map.of("ns", 1L, "us", 1_000L, "µs", 1_000L, "ms", 1_000_000L, "s",
			1_000_000_000L, "m", 60_000_000_000L, "h", 3_600_000_000_000L);

	private static final BigDecimal LONGEST = BigDecimal.valueOf(Long.MAX_VALUE);

	private GoDuration() {
	}

	static Duration parse(String text) {
		boolean negative = text.startsWith("-");
		String rest = (negative || text.startsWith("+")) ? text.substring(1) : text;
		if (rest.equals("0")) {
			return Duration.ZERO;
		}
		BigDecimal nanos = BigDecimal.ZERO;
		Matcher part = PART.matcher(rest);
		int end = 0;
		while (part.find() && part.start() == end) {
			nanos = nanos.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(unit(part.group(2)))));
			end = part.end();
		}
		if (rest.isEmpty() || end != rest.length()) {
			throw new IllegalArgumentException("'%s' is no duration, such as 15s or 1m30s".formatted(text));
		}
		if (nanos.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(
					"'%s' is no duration of Go, which has at most 292 years".formatted(text));
		}
		Duration duration = Duration.ofNanos(nanos.longValue());
		return negative ? duration.negated() : duration;
	}

	private static long unit(String name) {
		Long nanos = NANOS.get(name);
		return (nanos != null) ? nanos : 0;
	}

}
