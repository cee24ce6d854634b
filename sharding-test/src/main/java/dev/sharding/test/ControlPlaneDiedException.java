package dev.sharding.test;

/**
 * A process of the control plane ended although nobody asked it to. The message quotes
 * the last lines of its log.
 */
public final class ControlPlaneDiedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	ControlPlaneDiedException(String message) {
		super(message);
	}

}
