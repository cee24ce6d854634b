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
public record MetadataPage(String version, String continueToken) {

	static final byte[] PROTOBUF = { 'k', '8', 's', 0 };

	/** runtime.Unknown: raw = 2, which is the list. */
	static final long LIST_TAG = (2 << 3) | 2;

	/**
	 * Reads a page that has come as a whole.
	 * @param body the answer
	 * @param found gets the version of each object
	 * @return the page
	 */
	public static MetadataPage read(byte[] body, Map<ObjectKey, String> found) {
		MetadataReader reader = new MetadataReader(found);
		reader.receive(body);
		return reader.end();
	}

	static MetadataPage readJson(byte[] body, Map<ObjectKey, String> found) {
		ListPage page = ListPage.of(body);
		page.forEach((item) -> {
			ObjectFacts facts = ObjectFacts.read(item);
			found.put(facts.key(), facts.version());
		});
		return new MetadataPage(page.version(), page.continueToken());
	}

	/** Tells whether the bytes begin as protobuf does, as far as they go. */
	static boolean mayBeProtobuf(byte[] bytes) {
		for (int i = 0; i < PROTOBUF.length && i < bytes.length; i++) {
			if (bytes[i] != PROTOBUF[i]) {
				return false;
			}
		}
		return true;
	}

	/*
	 * PartialObjectMetadataList: metadata = 1 (resourceVersion = 2, continue = 3), items
	 * = 2
	 */
	/** The page with one more field of the list. */
	MetadataPage with(ProtobufCursor field, Map<ObjectKey, String> found) {
		if (!field.next()) {
			return this;
		}
		if (field.field() == 2) {
			item(field.enter(), found);
		}
		return (field.field() == 1) ? with(field.enter()) : this;
	}

	private MetadataPage with(ProtobufCursor metadata) {
		String told = this.version;
		String token = this.continueToken;
		while (metadata.next()) {
			if (metadata.field() == 2) {
				told = metadata.text();
			}
			else if (metadata.field() == 3) {
				token = metadata.text();
			}
		}
		return new MetadataPage(told, token);
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
