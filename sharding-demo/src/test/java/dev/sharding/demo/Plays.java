package dev.sharding.demo;

/**
 * Plays scenarios in which the judge must find nothing, each as often as the system
 * property {@code proof.repeat} says.
 */
final class Plays implements AutoCloseable {

	private static final int REPEAT = Integer.getInteger("proof.repeat", 1);

	/**
	 * The judge looks at the whole log after each play, so it begins anew now and then.
	 */
	private static final int REPEAT_IN_ONE_LOG = 10;

	private static final int OBJECTS = 60;

	/** As many as there are shards at most. */
	private static final int SLOTS = 3;

	private final String name;

	private final int slots;

	private World world;

	private Plays(String name, int slots) throws Exception {
		this.name = name;
		this.slots = slots;
		this.world = World.open(name, OBJECTS, slots, Builds.one());
	}

	/** Opens their world. */
	static Plays open(String name) throws Exception {
		return new Plays(name, 0);
	}

	/** Opens a world in which shards have slots. */
	static Plays openWithSlots(String name) throws Exception {
		return new Plays(name, SLOTS);
	}

	void findNothing(String scenario, World.Action accident) throws Exception {
		this.world.playWithoutFinding(scenario, accident);
		for (int i = 2; i <= REPEAT; i++) {
			if (i % REPEAT_IN_ONE_LOG == 0) {
				this.world.close();
				this.world = World.open(this.name, OBJECTS, this.slots, Builds.one());
			}
			this.world.playWithoutFinding(scenario + "-" + i, accident);
			System.out.println("Played '" + scenario + "' " + i + " times of " + REPEAT);
		}
	}

	@Override
	public void close() throws Exception {
		this.world.close();
	}

}
