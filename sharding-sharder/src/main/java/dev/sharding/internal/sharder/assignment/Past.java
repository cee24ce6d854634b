package dev.sharding.internal.sharder.assignment;

import dev.sharding.internal.core.assignment.HashRing;
import org.jspecify.annotations.Nullable;

/**
 * What is known of what happened to a main object before it was seen.
 *
 * @param isKnown whether nothing can have happened to it unseen: if it has no label and
 * no drain of it is known, it is new and controls nothing yet
 * @param survey the pass over all controlled objects that began after it was listed, or
 * {@code null} if there was none
 */
record Past(boolean isKnown, @Nullable ControlledSurvey survey) {

	static final Past KNOWN = new Past(true, null);

	/** Where the objects that it controls are must be found out. */
	static final Past UNKNOWN = new Past(false, null);

	static Past of(boolean isKnown) {
		return isKnown ? KNOWN : UNKNOWN;
	}

	static Past surveyed(ControlledSurvey survey) {
		return new Past(false, survey);
	}

	/** The pass, unless the ring is another since: it moved objects by that one. */
	@Nullable ControlledSurvey surveyBy(HashRing ring) {
		ControlledSurvey made = this.survey;
		return (made != null && made.ring() == ring) ? made : null;
	}

}
