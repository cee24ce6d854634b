package dev.sharding.internal.kubernetes.informer.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/**
 * Spoils documents: cuts, repeats and replaces parts of them.
 */
final class Mutations {

	private static final String[] TOKENS = { "{", "}", "[", "]", ":", ",", "\"", "\\", "null", "true", "-1", "1e999",
			"9".repeat(2_000), "[".repeat(3_000), "{\"a\":".repeat(2_000), "\\ud800", "\\u00", "\n", " ", "//", "NaN",
			"\"metadata\"", "\"labels\"", "\"ownerReferences\"", "\"annotations\"", "\"items\"", "{}", "[]", "\"\"" };

	private Mutations() {
	}

	static byte[] mutate(byte[] valid, Random random) {
		byte[] body = valid;
		for (int i = random.nextInt(4); i > 0; i--) {
			int at = random.nextInt(body.length + 1);
			int to = Math.min(body.length, at + random.nextInt(12));
			byte[] part = switch (random.nextInt(5)) {
				case 0 -> new byte[0];
				case 1 -> TOKENS[random.nextInt(TOKENS.length)].getBytes(StandardCharsets.UTF_8);
				case 2 -> bytes(random);
				default -> Arrays.copyOfRange(body, at / 2, at / 2 + Math.min(60, body.length - at / 2));
			};
			body = splice(body, at, to, part);
		}
		return (random.nextInt(10) == 0) ? Arrays.copyOf(body, random.nextInt(body.length + 1)) : body;
	}

	/**
	 * Replaces values of members, so that most of what comes is still JSON.
	 */
	static String anyValue(Random random) {
		String[] values = { "null", "true", "false", "0", "-1.5e3", "\"\"", "\"t\"", "{}", "[]", "[{}]", "{\"a\":null}",
				"[null,{\"name\":\"x\",\"controller\":true},\"]\"]", "\"\\u0061\\\"\\\\}\"", "9".repeat(900) };
		return values[random.nextInt(values.length)];
	}

	private static byte[] bytes(Random random) {
		byte[] bytes = new byte[random.nextInt(8)];
		random.nextBytes(bytes);
		return bytes;
	}

	private static byte[] splice(byte[] body, int from, int to, byte[] part) {
		byte[] spliced = new byte[from + part.length + body.length - to];
		System.arraycopy(body, 0, spliced, 0, from);
		System.arraycopy(part, 0, spliced, from, part.length);
		System.arraycopy(body, to, spliced, from + part.length, body.length - to);
		return spliced;
	}

}
