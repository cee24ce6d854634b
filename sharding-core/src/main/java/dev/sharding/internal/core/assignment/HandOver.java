package dev.sharding.internal.core.assignment;

/**
 * How far the hand-over of a main object is. First the claim of its old owner ends, then
 * its controlled objects get the new label, then the main object does: so the new owner
 * finds what the old one made. The sharder keeps this fact for each main object; for a
 * controlled object, it is that of its main object.
 */
public enum HandOver {

	/** There is none under way, as far as is known. */
	NONE,

	/** The old owner may still act: the drain was sent or seen, but not acknowledged. */
	CLAIM_LIVE,

	/** The claim has ended, and controlled objects may still bear the old label. */
	CLAIM_ENDED,

	/** All controlled objects bear the new label. */
	CONTROLLED_OBJECTS_MOVED

}
