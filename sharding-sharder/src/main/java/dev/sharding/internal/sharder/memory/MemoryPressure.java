package dev.sharding.internal.sharder.memory;

import org.jspecify.annotations.Nullable;

/**
 * Tells how much room the sharder has to work in. Safe for use by any thread.
 */
public interface MemoryPressure {

	/** There always is enough, as far as anybody looks. */
	MemoryPressure NONE = new MemoryPressure() {

		@Override
		public MemoryState state() {
			return MemoryState.UNKNOWN;
		}

		@Override
		public double share() {
			return 0;
		}

		@Override
		public @Nullable String problem() {
			return null;
		}

		@Override
		public void onChange(Runnable changed) {
		}

	};

	/**
	 * Returns how it was when somebody looked last.
	 * @return the state; costs nothing
	 */
	MemoryState state();

	/**
	 * Returns which part of the room was in use after the latest collection.
	 * @return from 0 to 1, as it is now; 0 if it is not known
	 */
	double share();

	/**
	 * Returns what to say to the user.
	 * @return what is wrong and what to do, the same for as long as it lasts;
	 * {@code null} if there is enough room
	 */
	@Nullable String problem();

	/**
	 * Says whom to tell when the problem comes or goes, instead of whoever was told so
	 * far.
	 * @param changed called on a thread that must not be held up
	 */
	void onChange(Runnable changed);

}
