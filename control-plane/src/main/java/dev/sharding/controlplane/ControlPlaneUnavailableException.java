package dev.sharding.controlplane;

/**
 * No control plane can be had on this machine. The message says what was tried and what
 * the user can do.
 */
public final class ControlPlaneUnavailableException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	ControlPlaneUnavailableException(String message) {
		// A message to the user: where it was thrown says nothing.
		super(message, null, false, false);
	}

}
