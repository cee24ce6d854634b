package dev.sharding.judge;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What the judge keeps of an object that it met in the audit log.
 *
 * @param name name of the object, empty if it has none
 * @param uid empty if it has none
 * @param resourceVersion empty if it has none
 * @param labels its labels
 * @param annotations its annotations but those of ours
 * @param finalizers its finalizers
 * @param controller its controller reference
 * @param stamp from which version of its main object it says that it was made, empty if
 * it does not say
 * @param lease what it says as a Lease
 * @param deleting true if it has a deletion time stamp
 * @param gone true if it waits for nothing more before it is removed: a deletion time
 * stamp and no finalizer
 * @param data data of a ConfigMap; of a Secret the checksum of each value
 * @param metadataOnly true if it is an answer that has no data, whatever the object has
 * @param touch true if it is a patch that has one annotation, that of a touch, and
 * nothing else
 */
record Body(String name, String uid, String resourceVersion, Map<String, String> labels,
		Map<String, String> annotations, Set<String> finalizers, @Nullable ControllerReference controller, String stamp,
		LeaseRecord lease, boolean deleting, boolean gone, Map<String, String> data, boolean metadataOnly,
		boolean touch) {

	String holder() {
		return this.lease.holder();
	}

	int durationSeconds() {
		return this.lease.durationSeconds();
	}

	/** Its labels without those that say who owns it. */
	Map<String, String> usersLabels() {
		return RingUnderTest.usersLabels(this.labels);
	}

	/** Whether it was made of an object that had the name of that one before it. */
	boolean isOfFormer(Body main) {
		return this.controller != null && !this.controller.uid().isEmpty() && !main.uid.isEmpty()
				&& !this.controller.uid().equals(main.uid);
	}

	/** This object with what a merge patch says; a label that it empties is gone. */
	Body patched(Body patch) {
		Map<String, String> labels = new HashMap<>(this.labels);
		labels.putAll(patch.labels);
		labels.values().removeIf(String::isEmpty);
		Map<String, String> annotations = new HashMap<>(this.annotations);
		annotations.putAll(patch.annotations);
		annotations.values().removeIf(String::isEmpty);
		Map<String, String> data = new HashMap<>(this.data);
		data.putAll(patch.data);
		return new Body(this.name, this.uid, this.resourceVersion, labels, annotations,
				patch.finalizers.isEmpty() ? this.finalizers : patch.finalizers,
				(patch.controller != null) ? patch.controller : this.controller,
				patch.stamp.isEmpty() ? this.stamp : patch.stamp,
				patch.lease.equals(LeaseRecord.NONE) ? this.lease : patch.lease, this.deleting, this.gone, data,
				this.metadataOnly, false);
	}

	/** The same as another version. */
	Body withVersion(String version) {
		return new Body(this.name, this.uid, version, this.labels, this.annotations, this.finalizers, this.controller,
				this.stamp, this.lease, this.deleting, this.gone, this.data, this.metadataOnly, false);
	}

}
