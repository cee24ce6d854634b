package dev.sharding.demo;

import java.util.Map;

/**
 * The board at one moment, for people.
 *
 * @param rows each shard by name
 * @param objects number of Secrets
 * @param unowned Secrets without a shard label
 * @param draining Secrets with the drain label
 * @param current Secrets whose ConfigMap was made from their last version
 */
record BoardView(Map<String, Row> rows, int objects, int unowned, int draining, int current) {

	/**
	 * @param state state of its Lease
	 * @param owned Secrets with its shard label
	 */
	record Row(String state, int owned) {
	}

}
