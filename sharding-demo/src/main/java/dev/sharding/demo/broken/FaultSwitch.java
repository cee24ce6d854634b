package dev.sharding.demo.broken;

import dev.sharding.demo.held.HoldPoints;

/**
 * Has a program be broken from some moment on: before that it starts, and finds its
 * objects, as one that is not.
 */
final class FaultSwitch {

	private FaultSwitch() {
	}

	/**
	 * Whether the fault is to be there: as long as {@code any} is held at {@code fault}.
	 */
	static boolean isOn() {
		return HoldPoints.isHeld("fault", "any");
	}

}
