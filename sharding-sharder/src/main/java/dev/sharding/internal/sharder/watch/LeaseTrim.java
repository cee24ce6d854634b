package dev.sharding.internal.sharder.watch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import org.jspecify.annotations.Nullable;

/**
 * Bounds what is kept of one Lease. Anybody who may write Leases may write a quarter of a
 * MiB of annotations, and more of labels, on each. A Lease of usual size is kept as it
 * is; a larger one says only what the sharder reads, and that it says less than the one
 * in the cluster.
 */
public final class LeaseTrim {

	/* Bytes of the heap, about; several times what the Lease of a shard takes. */
	static final int USUAL_SIZE = 8_192;

	/* A label may be of two characters: what counts is the text itself, and its entry. */
	private static final int SIZE_OF_A_TEXT = 64;

	/* No name of a Lease, and nothing that a shard or the sharder notes, is as long. */
	static final int LONGEST_TEXT = 256;

	private static final Set<String> LABELS = Set.of(ShardingLabels.LEASE_RING, ShardingLabels.LEASE_STATE,
			ShardingLabels.POD);

	private static final Set<String> ANNOTATIONS = Set.of(ShardingLabels.INSTANCE_ID, ShardingLabels.TAKEN_BY_FORCE,
			ShardingLabels.CORDONED, ShardingLabels.GIVEN_BACK, ShardingLabels.GRACE, ShardingLabels.GRACE_START,
			ShardingLabels.TOUCH_DUE, ShardingLabels.SETTLED, ShardingLabels.MADE_BY_SHARDER, ShardingLabels.STOPPING,
			ShardingLabels.POD_TEMPLATE_HASH, ShardingLabels.SLOTS);

	private static final String MARK = "trimmed";

	private LeaseTrim() {
	}

	/**
	 * Takes off a Lease what the sharder does not need, if that is much.
	 * @param lease a Lease as the API server returned it, which nobody else knows yet
	 */
	public static void trim(Lease lease) {
		if (size(lease) <= USUAL_SIZE) {
			return;
		}
		ObjectMeta metadata = lease.getMetadata();
		metadata.setLabels(only(LABELS, metadata.getLabels()));
		metadata.setAnnotations(only(ANNOTATIONS, metadata.getAnnotations()));
		metadata.setOwnerReferences(List.of());
		metadata.setFinalizers(List.of());
		// No annotation, which anybody could write as well.
		metadata.setAdditionalProperties(Map.of(MARK, true));
		LeaseSpec spec = lease.getSpec();
		if (spec != null) {
			spec.setHolderIdentity(cut(spec.getHolderIdentity()));
			spec.setPreferredHolder(null);
			spec.setStrategy(null);
		}
	}

	/**
	 * Tells whether a Lease says less than the one in the cluster, so that it must not be
	 * written in the place of that.
	 * @param lease a Lease that was trimmed, or a copy
	 * @return {@code true} if something was taken off
	 */
	public static boolean isTrimmed(Lease lease) {
		return lease.getMetadata().getAdditionalProperties().containsKey(MARK);
	}

	private static int size(Lease lease) {
		ObjectMeta metadata = lease.getMetadata();
		LeaseSpec spec = lease.getSpec();
		int size = size(metadata.getLabels()) + size(metadata.getAnnotations());
		for (String finalizer : metadata.getFinalizers()) {
			size += size(finalizer);
		}
		for (OwnerReference owner : metadata.getOwnerReferences()) {
			size += size(owner.getApiVersion()) + size(owner.getKind()) + size(owner.getName()) + size(owner.getUid());
		}
		return (spec != null)
				? size + size(spec.getHolderIdentity()) + size(spec.getPreferredHolder()) + size(spec.getStrategy())
				: size;
	}

	private static int size(@Nullable Map<String, String> texts) {
		int size = 0;
		if (texts != null) {
			for (Map.Entry<String, String> text : texts.entrySet()) {
				size += size(text.getKey()) + size(text.getValue());
			}
		}
		return size;
	}

	private static int size(@Nullable String text) {
		return (text != null) ? SIZE_OF_A_TEXT + text.length() : 0;
	}

	private static Map<String, String> only(Set<String> keys, @Nullable Map<String, String> all) {
		Map<String, String> kept = new HashMap<>();
		keys.forEach((key) -> {
			String value = (all != null) ? cut(all.get(key)) : null;
			if (value != null) {
				kept.put(key, value);
			}
		});
		return kept;
	}

	private static @Nullable String cut(@Nullable String text) {
		return (text != null && text.length() > LONGEST_TEXT) ? text.substring(0, LONGEST_TEXT) : text;
	}

}
