package dev.sharding.internal.kubernetes.informer.wire;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import dev.sharding.resource.ObjectKey;

/**
 * Gets the objects of a list of metadata, cut but not decoded: as protobuf
 * ({@code PartialObjectMetadata}) or as JSON.
 */
interface MetadataItems {

	void add(ProtobufCursor item);

	void add(JsonSlice item);

	/** Keeps which objects there are, in which versions. */
	static MetadataItems versions(Map<ObjectKey, String> found) {
		return new MetadataItems() {

			@Override
			public void add(ProtobufCursor item) {
				while (item.next()) {
					if (item.field() == 1) {
						version(item.enter());
					}
				}
			}

			/* ObjectMeta: name = 1, namespace = 3, resourceVersion = 6 */
			private void version(ProtobufCursor metadata) {
				String name = "";
				String namespace = "";
				String version = "";
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

			@Override
			public void add(JsonSlice item) {
				ObjectFacts facts = ObjectFacts.read(item);
				found.put(facts.key(), facts.version());
			}

		};
	}

	/** Hands on the summary of each object. */
	static MetadataItems summaries(List<String> labels, Consumer<MetadataSummary> found) {
		return new MetadataItems() {

			@Override
			public void add(ProtobufCursor item) {
				found.accept(SummaryReader.read(item, labels));
			}

			@Override
			public void add(JsonSlice item) {
				found.accept(SummaryReader.read(item, labels));
			}

		};
	}

}
