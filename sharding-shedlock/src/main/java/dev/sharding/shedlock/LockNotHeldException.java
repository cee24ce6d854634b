package dev.sharding.shedlock;

/**
 * This process cannot prove any more that it holds a lock: another one may hold it by
 * now.
 */
public final class LockNotHeldException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	LockNotHeldException(String message) {
		super(message);
	}

}
