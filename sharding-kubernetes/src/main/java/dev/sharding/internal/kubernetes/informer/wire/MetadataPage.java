package dev.sharding.internal.kubernetes.informer.wire;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.ObjectKey;

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

	/**
	 * Asks for a page and reads it while it comes: of what an object has besides, such as
	 * long annotations, nothing is kept.
	 * @param requests sends the request
	 * @param request a list of metadata
	 * @param labels the labels that are read
	 * @param found gets each object, on a thread of the transport
	 * @return the page, after its last object; or an
	 * {@link dev.sharding.client.ApiException}
	 */
	public static CompletableFuture<MetadataPage> fetch(ApiRequests requests, ApiRequest request, List<String> labels,
			Consumer<MetadataSummary> found) {
		MetadataReader reader = new MetadataReader(MetadataItems.summaries(labels, found));
		return requests.sendAndReceive(request, reader::receive).thenApply((answer) -> reader.end());
	}

	static MetadataPage readJson(byte[] body, MetadataItems found) {
		ListPage page = ListPage.of(body);
		page.forEach(found::add);
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
	MetadataPage with(ProtobufCursor field, MetadataItems found) {
		if (!field.next()) {
			return this;
		}
		if (field.field() == 2) {
			found.add(field.enter());
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

}
