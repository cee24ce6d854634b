package dev.sharding.internal.sharder.cli;

/**
 * A question that has no answer, such as one about a ring that does not exist.
 */
final class CommandFailure extends RuntimeException {

	private static final long serialVersionUID = 1L;

	CommandFailure(String message) {
		super(message);
	}

}
