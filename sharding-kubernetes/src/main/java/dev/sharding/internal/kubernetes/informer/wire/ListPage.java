package dev.sharding.internal.kubernetes.informer.wire;

import java.util.function.Consumer;

/**
 * One page of a list, cut but not parsed.
 *
 * @param body the whole answer
 * @param version the resource version of the list, the same on all its pages
 * @param continueToken where the next page begins, or empty on the last one
 */
public record ListPage(byte[] body, String version, String continueToken) {

	/** Reads the head of the page, which the API server writes before the items. */
	public static ListPage of(byte[] body) {
		String version = "";
		String token = "";
		JsonCursor metadata = ObjectFacts.metadata(JsonSlice.of(body));
		while (metadata != null && metadata.next()) {
			if (metadata.isNamed("resourceVersion")) {
				version = metadata.text();
			}
			else if (metadata.isNamed("continue")) {
				token = metadata.text();
			}
		}
		return new ListPage(body, version, token);
	}

	/** Hands over the bytes of each item, in order. */
	public void forEach(Consumer<JsonSlice> action) {
		JsonCursor members = new JsonCursor(this.body, 0, this.body.length);
		while (members.next()) {
			if (members.isNamed("items") && members.isArray()) {
				JsonCursor items = members.enter();
				while (items.next()) {
					action.accept(new JsonSlice(this.body, items.valueFrom(), items.valueTo()));
				}
				members.leave(items);
			}
		}
	}

}
