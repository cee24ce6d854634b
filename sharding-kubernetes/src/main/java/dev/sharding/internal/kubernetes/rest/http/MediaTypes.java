package dev.sharding.internal.kubernetes.rest.http;

/**
 * The media types that the API server is asked in.
 */
public final class MediaTypes {

	/** Whole objects. */
	public static final String JSON = "application/json";

	/** The metadata of one object, or of each object of a watch (KEP-2334). */
	public static final String METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

	/**
	 * A list that holds only the metadata of its objects; whole objects from those who
	 * cannot tell the metadata alone, as some aggregated APIs.
	 */
	public static final String METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

	/** The same, as protobuf from those who speak it. */
	public static final String METADATA_LIST_PROTOBUF = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
			+ METADATA_LIST;

	/** Body of a merge patch (RFC 7396). */
	public static final String MERGE_PATCH = "application/merge-patch+json";

	/** Body of a JSON patch (RFC 6902). */
	public static final String JSON_PATCH = "application/json-patch+json";

	/** Body of a server-side apply; JSON is valid YAML. */
	public static final String APPLY_PATCH = "application/apply-patch+yaml";

	private MediaTypes() {
	}

}
