// The views, in the order of their tabs and of the keys 1, 2, 3...
import { history } from "./history";
import { hot_spots } from "./hot_spots";
import { matrix } from "./matrix";
import { overview } from "./overview";
import { placement } from "./placement";
import { queues_and_paths } from "./queues_and_paths";
import { space_time } from "./space_time";
import { time_spent } from "./time_spent";
import { View } from "./view";

export const VIEWS: View[] = [overview, hot_spots, matrix, history, space_time, queues_and_paths, placement, time_spent];
