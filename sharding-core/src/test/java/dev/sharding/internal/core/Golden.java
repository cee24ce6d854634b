package dev.sharding.internal.core;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The golden file of the protocol (protocol section 2.6).
 */
public final class Golden {

	private static final JsonNode ROOT = read();

	private Golden() {
	}

	public static JsonNode part(String name) {
		JsonNode part = ROOT.get(name);
		if (part == null || part.isEmpty()) {
			throw new IllegalStateException("The golden file has no part '" + name + "'");
		}
		return part;
	}

	public static Stream<JsonNode> cases(String part) {
		return part(part).valueStream();
	}

	private static JsonNode read() {
		try (InputStream json = Golden.class.getResourceAsStream("/ring-golden.json")) {
			return new JsonMapper().readTree(json);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
