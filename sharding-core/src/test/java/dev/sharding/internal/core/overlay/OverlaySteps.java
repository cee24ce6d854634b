package dev.sharding.internal.core.overlay;

/**
 * Counts the rounds of loops in the overlay, whose sources are compiled with a call to
 * this for it.
 */
final class OverlaySteps {

	private static long taken;

	private OverlaySteps() {
	}

	static void take() {
		taken++;
	}

	/** Deletes so many objects and returns the steps that took. */
	static long deleteAll(int objects) {
		taken = 0;
		Overlay<String, ModelObject> overlay = new Overlay<>(ModelObject.ACCESS, OverlayLimits.defaults());
		long now = 0;
		for (int i = 0; i < objects; i++) {
			long write = overlay.sent(new OwnWrite.Delete<>("writer", key(i), "u-" + i, version(i)), now);
			overlay.deleted(write, "u-" + i, now);
			if (i % 10 == 0) {
				create(overlay, objects, i, now);
			}
		}
		create(overlay, objects, objects, now);
		for (int i = 0; i < objects; i++) {
			overlay.event(new ObservedEvent.Removed<>(object(i, version(objects + i)), false), now);
			if (i % (objects / 4) == 0) {
				overlay.tick(now);
			}
		}
		overlay.bookmark(version(3 * objects));
		if (!overlay.correctsNothing()) {
			throw new AssertionError("Left: " + overlay.status(now));
		}
		return taken;
	}

	private static void create(Overlay<String, ModelObject> overlay, int objects, int i, long now) {
		String key = "made-" + i;
		long write = overlay.sent(new OwnWrite.Create<>("writer", key, (name) -> false), now);
		overlay.returned(write, new ModelObject(key, "u-" + key, version(2 * objects + i), true, 0, 0, false, false),
				now);
	}

	private static String key(int i) {
		return "x-" + i;
	}

	private static String version(int i) {
		return Integer.toString(1_000_000 + i);
	}

	private static ModelObject object(int i, String version) {
		return new ModelObject(key(i), "u-" + i, version, true, 0, 0, false, false);
	}

}
