package dev.sharding.demo.operator;

/** The status of a custom resource. Public for Jackson. */
public final class Observed {

	private long observedGeneration;

	/** The generation that the rest is made from. */
	public long getObservedGeneration() {
		return this.observedGeneration;
	}

	/** Says what the rest is made from. */
	public void setObservedGeneration(long observedGeneration) {
		this.observedGeneration = observedGeneration;
	}

	static Observed of(long generation) {
		Observed observed = new Observed();
		observed.setObservedGeneration(generation);
		return observed;
	}

}
