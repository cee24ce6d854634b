package dev.sharding.internal.kubernetes.informer.wire;

import org.jspecify.annotations.Nullable;

/**
 * One line of a watch: what happened and the bytes of the object it happened to.
 */
public record WatchFrame(Type type, JsonSlice object) {

	private static final String INITIAL_EVENTS_END = "k8s.io/initial-events-end";

	/**
	 * Cuts a line. The usual form is recognized by its first bytes, any other order of
	 * the members by walking over them.
	 * @throws IllegalArgumentException if the line is no watch event
	 */
	public static WatchFrame of(byte[] line) {
		int end = line.length;
		while (end > 0 && line[end - 1] <= ' ') {
			end--;
		}
		for (Type type : Type.VALUES) {
			if (end > type.prefix.length && line[end - 1] == '}' && startsWith(line, type.prefix)) {
				return new WatchFrame(type, new JsonSlice(line, type.prefix.length, end - 1));
			}
		}
		return walk(line);
	}

	private static WatchFrame walk(byte[] line) {
		Type type = null;
		JsonSlice object = null;
		JsonCursor members = new JsonCursor(line, 0, line.length);
		while (members.next()) {
			if (members.isNamed("type")) {
				type = Type.named(members.text());
			}
			else if (members.isNamed("object")) {
				object = new JsonSlice(line, members.valueFrom(), members.valueTo());
			}
		}
		if (type == null || object == null) {
			throw new IllegalArgumentException("Not a watch event");
		}
		return new WatchFrame(type, object);
	}

	private static boolean startsWith(byte[] line, byte[] prefix) {
		for (int i = 0; i < prefix.length; i++) {
			if (line[i] != prefix[i]) {
				return false;
			}
		}
		return true;
	}

	/** Tells whether this bookmark ends the initial events of a WatchList (KEP-3157). */
	public boolean endsInitialEvents() {
		JsonCursor metadata = ObjectFacts.metadata(this.object);
		while (metadata != null && metadata.next()) {
			if (metadata.isNamed("annotations") && metadata.isContainer()) {
				JsonCursor annotations = metadata.enter();
				while (annotations.next()) {
					if (annotations.isNamed(INITIAL_EVENTS_END)) {
						return annotations.text().equals("true");
					}
				}
			}
		}
		return false;
	}

	/** The types of watch events, the frequent ones first. */
	public enum Type {

		MODIFIED, ADDED, DELETED, BOOKMARK, ERROR;

		private static final Type[] VALUES = values();

		private final byte[] prefix = ("{\"type\":\"" + name() + "\",\"object\":")
			.getBytes(java.nio.charset.StandardCharsets.US_ASCII);

		private static @Nullable Type named(String name) {
			for (Type type : VALUES) {
				if (type.name().equals(name)) {
					return type;
				}
			}
			return null;
		}

	}

}
