package dev.sharding.demo;

import java.time.Duration;

/** Where the play is shown. Methods can be called from any thread. */
interface Screen {

	/** A line that stays. */
	void say(String line);

	/** A step begins. */
	void begin(String title);

	/** A step is over. */
	void done(StepResult step);

	/**
	 * The state of the play, several times a second.
	 * @param running time since the start
	 * @param updates how many Secrets the writer has changed
	 */
	void frame(BoardView board, Duration running, int updates);

}
