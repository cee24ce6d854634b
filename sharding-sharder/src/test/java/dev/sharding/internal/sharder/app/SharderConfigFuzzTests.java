package dev.sharding.internal.sharder.app;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Whatever the file says, it is read, or refused by an {@link IllegalArgumentException}.
 */
class SharderConfigFuzzTests {

	private static final BigInteger LONGEST = BigInteger.valueOf(Long.MAX_VALUE);

	private static final List<String> UNITS = List.of("ns", "us", "µs", "ms", "s", "m", "h");

	private static final List<BigDecimal> NANOS = List.of(BigDecimal.ONE, new BigDecimal("1e3"), new BigDecimal("1e3"),
			new BigDecimal("1e6"), new BigDecimal("1e9"), new BigDecimal("60e9"), new BigDecimal("3600e9"));

	private static final String VALID = """
			apiVersion: config.sharding.timebertt.dev/v1alpha1
			kind: SharderConfig
			leaderElection: {leaderElect: true, leaseDuration: 15s, renewDeadline: 9s, resourceName: a}
			health: {bindAddress: ":8081"}
			gracefulShutDown: 5s
			controller:
			  sharder: {syncPeriod: 5m, concurrentMoves: 3}
			webhook:
			  server: {certDir: /tmp/x, certName: tls.crt}
			  config:
			    annotations: {a/b: c}
			    clientConfig: {service: {name: x, namespace: y, port: 443}}
			    namespaceSelector:
			      matchExpressions: [{key: a, operator: In, values: [b, c]}]
			""";

	private static final String[] TOKENS = { "{", "}", "[", "]", ":", ",", "\"", "- ", "? ", "~", "&a ", "*a", "!!int ",
			"!!binary ", "!!timestamp ", "!!set ", "!!float ", "<<: ", "0x", "1e999", "9".repeat(400), "2026-99-99",
			"\n", "  ", "\t", "\0", "---\n", "%", "|\n", "[".repeat(200), "-5s", "\uD83D\uDE80", "0o7_", "0b_",
			"190:20:30" };

	@Property(tries = 1_500, shrinking = ShrinkingMode.OFF)
	void refusesWhatItCannotRead(@ForAll long seed) throws IOException {
		Random random = new Random(seed);
		StringBuilder text = new StringBuilder(VALID);
		for (int i = 1 + random.nextInt(3); i > 0; i--) {
			int at = random.nextInt(text.length());
			int to = Math.min(text.length(), at + random.nextInt(10));
			text.replace(at, to, TOKENS[random.nextInt(TOKENS.length)]);
		}
		Path file = Files.createTempFile("sharder", ".yaml");
		try {
			Files.write(file, text.toString().getBytes(StandardCharsets.ISO_8859_1));
			assertThat(SharderConfigFile.read(file, Map.of())).containsEntry("sharding.sharder.mode", "both");
		}
		catch (IllegalArgumentException expected) {
			assertThat(expected).hasMessageStartingWith("Failed to read the SharderConfig");
		}
		finally {
			Files.delete(file);
		}
	}

	@Property(tries = 2_000, shrinking = ShrinkingMode.OFF)
	void readsDurationsAsTheyAreReckonedByHand(@ForAll long seed) {
		Random random = new Random(seed);
		StringBuilder text = new StringBuilder();
		BigDecimal nanos = BigDecimal.ZERO;
		for (int i = random.nextInt(3); i >= 0; i--) {
			String number = new BigInteger(1 + random.nextInt(40), random).toString()
					+ (random.nextBoolean() ? "." + random.nextInt(1_000) : "");
			int unit = random.nextInt(UNITS.size());
			text.append(number).append(UNITS.get(unit));
			nanos = nanos.add(new BigDecimal(number).multiply(NANOS.get(unit)));
		}
		String sign = List.of("", "+", "-").get(random.nextInt(3));
		BigInteger whole = nanos.setScale(0, RoundingMode.DOWN).toBigInteger();
		if (nanos.compareTo(new BigDecimal(LONGEST)) > 0) {
			assertThatIllegalArgumentException().isThrownBy(() -> GoDuration.parse(sign + text));
		}
		else {
			Duration expected = Duration.ofNanos(whole.longValue());
			assertThat(GoDuration.parse(sign + text)).isEqualTo(sign.equals("-") ? expected.negated() : expected);
		}
	}

	@Test
	void refusesADurationThatGoCannotHold() {
		assertThatIllegalArgumentException().isThrownBy(() -> GoDuration.parse("5124096h"))
			.withMessageContaining("'5124096h'");
	}

	@Property(tries = 1_000)
	void takesNothingElseForADuration(@ForAll String text) {
		try {
			GoDuration.parse(text);
			assertThat(text).matches("[-+]?(0|([0-9.]+(ns|us|µs|ms|s|m|h))+)");
		}
		catch (IllegalArgumentException expected) {
			assertThat(expected).hasMessageContaining("is no duration");
		}
	}

}
