package dev.sharding.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;

import dev.sharding.internal.autoconfigure.runtime.FurtherRings;
import dev.sharding.internal.autoconfigure.runtime.OnShardCondition;

/**
 * Auto-configuration for the rings under {@code sharding.rings}.
 */
@AutoConfiguration(after = ShardingAutoConfiguration.class)
@Conditional(OnShardCondition.class)
@Import(FurtherRings.class)
public final class FurtherRingsAutoConfiguration {

}
