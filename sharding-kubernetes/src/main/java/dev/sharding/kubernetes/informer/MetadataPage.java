package dev.sharding.kubernetes.informer;

import java.util.Map;

import dev.sharding.kubernetes.resource.ObjectKey;

/**
 * One page of a list of metadata, as protobuf or, from servers that do not speak it, as
 * JSON.
 *
 * @param version the resource version of the list
 * @param continueToken where the next page begins, or empty on the last one
 */
record MetadataPage(String version, String continueToken) {

	private static final byte[] PROTOBUF = { 'k', '8', 's', 0 };

	/**
	 * Reads a page.
	 * @param body the answer
	 * @param found gets the version of each object
	 */
	static MetadataPage read(byte[] body, Map<ObjectKey, String> found) {
		if (!isProtobuf(body)) {
			ListPage page = ListPage.of(body);
			page.forEach((item) -> {
				ObjectFacts facts = ObjectFacts.read(item);
				found.put(facts.key(), facts.version());
			});
			return new MetadataPage(page.version(), page.continueToken());
		}
		// runtime.Unknown: raw = 2
		ProtobufCursor envelope = new ProtobufCursor(body, PROTOBUF.length, body.length);
		while (envelope.next()) {
			if (envelope.field() == 2) {
				return list(envelope.enter(), found);
			}
		}
		throw new IllegalArgumentException("Protobuf without a list");
	}

	private static boolean isProtobuf(byte[] body) {
		for (int i = 0; i < PROTOBUF.length; i++) {
			if (body.length <= i || body[i] != PROTOBUF[i]) {
				return false;
			}
		}
		return true;
	}

	/*
	 * PartialObjectMetadataList: metadata = 1 (resourceVersion = 2, continue = 3), items
	 * = 2
	 */
	private static MetadataPage list(ProtobufCursor list, Map<ObjectKey, String> found) {
		String version = "";
		String token = "";
		while (list.next()) {
			if (list.field() == 2) {
				item(list.enter(), found);
			}
			else if (list.field() == 1) {
				ProtobufCursor metadata = list.enter();
				while (metadata.next()) {
					if (metadata.field() == 2) {
						version = metadata.text();
					}
					else if (metadata.field() == 3) {
						token = metadata.text();
					}
				}
			}
		}
		return new MetadataPage(version, token);
	}

	/*
	 * PartialObjectMetadata: metadata = 1 (name = 1, namespace = 3, resourceVersion = 6)
	 */
	private static void item(ProtobufCursor item, Map<ObjectKey, String> found) {
		while (item.next()) {
			if (item.field() == 1) {
				String name = "";
				String namespace = "";
				String version = "";
				ProtobufCursor metadata = item.enter();
				while (metadata.next()) {
					switch (metadata.field()) {
						case 1 -> name = metadata.text();
						case 3 -> namespace = metadata.text();
						case 6 -> version = metadata.text();
						default -> {
						}
					}
				}
				found.put(new ObjectKey(namespace, name), version);
			}
		}
	}

}
