package dev.sharding.internal.core.overlay;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the model's server said about writes in doubt; it may be told later.
 *
 * @param question what was asked
 * @param found the objects
 * @param version the version of the list
 */
record ModelAnswer(DoubtQuestion<String> question, List<ModelObject> found, String version) {

	static ModelAnswer of(DoubtQuestion<String> question, ModelServer server) {
		List<ModelObject> found = server.objects()
			.values()
			.stream()
			.filter((each) -> each.scoped() && (question.key() == null || question.key().equals(each.key())))
			.toList();
		return new ModelAnswer(question, found, Long.toString(server.version()));
	}

	/** Whether this is what decides about the write. */
	boolean isAbout(ModelWrite write) {
		return this.question.writes().containsKey(write.doubt);
	}

	/** Whether the object that the write made is there. */
	boolean shows(ModelWrite write) {
		return shows(this.found, write);
	}

	static boolean shows(Collection<ModelObject> found, ModelWrite write) {
		return found.stream().anyMatch((each) -> each.uid().equals(write.answer().object().uid()));
	}

	void tell(Overlay<String, ModelObject> overlay, long now) {
		if (this.question.kind() == DoubtQuestion.Kind.VERSIONS) {
			Map<String, String> versions = new HashMap<>();
			this.found.forEach((each) -> versions.put(each.key(), each.version()));
			overlay.listed(this.question.writes(), versions, this.version, now);
		}
		else {
			overlay.resolved(this.question.writes(), this.found, Set.of(), this.version, now);
		}
	}

}
