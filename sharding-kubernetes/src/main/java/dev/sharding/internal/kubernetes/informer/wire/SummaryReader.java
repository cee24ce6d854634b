package dev.sharding.internal.kubernetes.informer.wire;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.sharding.internal.core.key.OwnerRef;
import org.jspecify.annotations.Nullable;

/**
 * Reads the summary of one object from its bytes. Used by one thread for one object.
 */
public final class SummaryReader {

	private final List<String> wanted;

	private String namespace = "";

	private String name = "";

	private String version = "";

	private @Nullable Instant created;

	private Map<String, String> labels = Map.of();

	private List<OwnerRef> owners = List.of();

	private SummaryReader(List<String> wanted) {
		this.wanted = wanted;
	}

	/* PartialObjectMetadata: metadata = 1 */
	static MetadataSummary read(ProtobufCursor item, List<String> wanted) {
		SummaryReader reader = new SummaryReader(wanted);
		while (item.next()) {
			if (item.field() == 1) {
				reader.metadata(item.enter());
			}
		}
		return reader.summary();
	}

	public static MetadataSummary read(JsonSlice item, List<String> wanted) {
		SummaryReader reader = new SummaryReader(wanted);
		JsonCursor metadata = ObjectFacts.metadata(item);
		if (metadata != null) {
			reader.metadata(metadata);
		}
		return reader.summary();
	}

	private MetadataSummary summary() {
		return new MetadataSummary(this.namespace, this.name, this.version, this.created, this.labels, this.owners);
	}

	/*
	 * ObjectMeta: name = 1, namespace = 3, resourceVersion = 6, creationTimestamp = 8,
	 * labels = 11, ownerReferences = 13
	 */
	private void metadata(ProtobufCursor metadata) {
		while (metadata.next()) {
			switch (metadata.field()) {
				case 1 -> this.name = metadata.text();
				case 3 -> this.namespace = metadata.text();
				case 6 -> this.version = metadata.text();
				case 8 -> this.created = time(metadata.enter());
				case 11 -> label(metadata.enter());
				case 13 -> owner(metadata.enter());
				default -> {
				}
			}
		}
	}

	/* Time: seconds = 1 */
	private static @Nullable Instant time(ProtobufCursor time) {
		while (time.next()) {
			if (time.field() == 1) {
				return time(time.number());
			}
		}
		return null;
	}

	private static @Nullable Instant time(long seconds) {
		try {
			return Instant.ofEpochSecond(seconds);
		}
		catch (DateTimeException ex) {
			return null;
		}
	}

	/* An entry of a map: key = 1, value = 2 */
	private void label(ProtobufCursor entry) {
		String label = null;
		String value = "";
		while (entry.next()) {
			if (entry.field() == 1) {
				label = wanted(entry);
				if (label == null) {
					return;
				}
			}
			else if (entry.field() == 2) {
				value = entry.text();
			}
		}
		if (label != null) {
			label(label, value);
		}
	}

	private @Nullable String wanted(ProtobufCursor key) {
		for (String label : this.wanted) {
			if (key.isText(label)) {
				return label;
			}
		}
		return null;
	}

	/* OwnerReference: kind = 1, name = 3, uid = 4, apiVersion = 5, controller = 6 */
	private void owner(ProtobufCursor owner) {
		String kind = null;
		String ownerName = null;
		String uid = null;
		String apiVersion = null;
		boolean controller = false;
		while (owner.next()) {
			switch (owner.field()) {
				case 1 -> kind = owner.text();
				case 3 -> ownerName = owner.text();
				case 4 -> uid = owner.text();
				case 5 -> apiVersion = owner.text();
				case 6 -> controller = owner.number() != 0;
				default -> {
				}
			}
		}
		owner(new OwnerRef(apiVersion, kind, ownerName, uid, controller));
	}

	private void metadata(JsonCursor metadata) {
		while (metadata.next()) {
			if (metadata.isNamed("name")) {
				this.name = metadata.text();
			}
			else if (metadata.isNamed("namespace")) {
				this.namespace = metadata.text();
			}
			else if (metadata.isNamed("resourceVersion")) {
				this.version = metadata.text();
			}
			else if (metadata.isNamed("creationTimestamp")) {
				this.created = time(metadata.text());
			}
			else if (metadata.isNamed("labels")) {
				metadata.walk(this::labels);
			}
			else if (metadata.isNamed("ownerReferences")) {
				metadata.walk(this::owners);
			}
		}
	}

	private static @Nullable Instant time(String text) {
		try {
			return text.isEmpty() ? null : Instant.parse(text);
		}
		catch (DateTimeException ex) {
			return null;
		}
	}

	private void labels(JsonCursor all) {
		while (all.next()) {
			for (String label : this.wanted) {
				if (all.isNamed(label)) {
					label(label, all.text());
				}
			}
		}
	}

	private void owners(JsonCursor all) {
		while (all.next()) {
			all.walk(this::owner);
		}
	}

	private void owner(JsonCursor owner) {
		String kind = null;
		String ownerName = null;
		String uid = null;
		String apiVersion = null;
		boolean controller = false;
		while (owner.next()) {
			if (owner.isNamed("kind")) {
				kind = owner.text();
			}
			else if (owner.isNamed("name")) {
				ownerName = owner.text();
			}
			else if (owner.isNamed("uid")) {
				uid = owner.text();
			}
			else if (owner.isNamed("apiVersion")) {
				apiVersion = owner.text();
			}
			else if (owner.isNamed("controller")) {
				controller = owner.isTrue();
			}
		}
		owner(new OwnerRef(apiVersion, kind, ownerName, uid, controller));
	}

	/* Nearly always there is none or one. */
	private void label(String label, String value) {
		if (this.labels.isEmpty()) {
			this.labels = Map.of(label, value);
			return;
		}
		Map<String, String> more = new HashMap<>(this.labels);
		more.put(label, value);
		this.labels = more;
	}

	private void owner(OwnerRef owner) {
		if (this.owners.isEmpty()) {
			this.owners = List.of(owner);
			return;
		}
		List<OwnerRef> more = new ArrayList<>(this.owners);
		more.add(owner);
		this.owners = more;
	}

}
